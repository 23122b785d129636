// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, ItemCode} from "../src/PaymentTypes.sol";
import {DirectFixture} from "./DirectFixture.sol";
import {HostileToken} from "./mocks/HostileToken.sol";
import {GasBurningWallet, HonestWallet, ReturnBombWallet} from "./mocks/Wallets.sol";

/// @dev What a payer or a token can burn, and what a caller with too little gas can do: nothing.
contract DirectGasTest is DirectFixture {
    /// @dev Where gas is short the batch reverts; no amount of gas makes the token refuse a sound item.
    function testFuzz_shortGasNeverRefusesASoundItem(uint256 gas) public {
        bytes memory groups =
            abi.encodePacked(_head(merchant, PAYOUT, 3), _paid(merchant, 1), _paid(merchant, 2), _paid(merchant, 3));
        gas = bound(gas, 10_000, 600_000);
        vm.prank(stranger);
        try direct.settle{gas: gas}(address(token), CALL_GAS, groups) returns (bytes memory codes) {
            assertEq(codes, new bytes(3));
            assertEq(token.balanceOf(merchant), 6);
        } catch {
            assertEq(token.balanceOf(merchant), 0);
        }
    }

    function test_aBatchWithoutTheStipendSaysSo() public {
        bytes memory groups = _to(merchant, _paid(merchant, 500));
        uint256 required = uint256(CALL_GAS) + CALL_GAS / 63 + 10_000;
        vm.startPrank(stranger);
        vm.expectPartialRevert(NotEnoughGas.selector);
        direct.settle{gas: required}(address(token), CALL_GAS, groups);
        _expect(direct.settle{gas: required + 10_000}(address(token), CALL_GAS, groups), 0, ItemCode.Settled);
        vm.stopPrank();
    }

    function test_theStipendOfAWalletIsLargerByItsOwnGas() public {
        HonestWallet wallet = new HonestWallet(payer);
        token.mint(address(wallet), 1_000);
        Authorization memory a = _authorization(address(wallet), 300);
        bytes memory groups = _to(merchant, _walletItem(a, 1, _signature(PAYER_KEY, a, merchant)));
        uint256 itemGas = CALL_GAS + WALLET_GAS;
        uint256 required = itemGas + itemGas / 63 + 10_000;
        vm.startPrank(stranger);
        vm.expectPartialRevert(NotEnoughGas.selector);
        direct.settle{gas: required}(address(token), CALL_GAS, groups);
        _expect(direct.settle{gas: required + 10_000}(address(token), CALL_GAS, groups), 0, ItemCode.Settled);
        vm.stopPrank();
    }

    function test_aWalletThatBurnsItsGasIsOneRefusedItem() public {
        address burner = address(new GasBurningWallet());
        token.mint(burner, 1_000);
        Authorization memory a = _authorization(burner, 300);
        bytes memory groups = abi.encodePacked(
            _head(merchant, PAYOUT, 3),
            _paid(merchant, 1),
            _walletItem(a, 1, _signature(PAYER_KEY, a, merchant)),
            _paid(merchant, 3)
        );
        uint256 before = gasleft();
        bytes memory codes = _direct(groups);
        assertLt(before - gasleft(), CALL_GAS + WALLET_GAS + 200_000, "the burner burns its stipend at most");
        _expect(codes, 0, ItemCode.Settled);
        _expect(codes, 1, ItemCode.PullRefused);
        _expect(codes, 2, ItemCode.Settled);
    }

    /// @dev EIP-7702: after the simulation a key's account may get code.
    function test_aKeyThatBecomesAContractBurnsTheStipendOfATransferAtMost() public {
        bytes memory groups = abi.encodePacked(
            _head(merchant, PAYOUT, 2),
            _paid(merchant, 1),
            _keyItem(_key(1), _authorization(vm.addr(_key(1)), 2), merchant, 2)
        );
        token.mint(vm.addr(_key(1)), 10);
        vm.etch(payer, type(GasBurningWallet).runtimeCode);
        uint256 before = gasleft();
        bytes memory codes = _direct(groups);
        assertLt(before - gasleft(), CALL_GAS + 200_000);
        _expect(codes, 0, ItemCode.PullRefused);
        _expect(codes, 1, ItemCode.Settled);
    }

    function test_aWalletThatAnswersWithAMegabyteIsOneRefusedItem() public {
        address bomber = address(new ReturnBombWallet());
        token.mint(bomber, 1_000);
        Authorization memory a = _authorization(bomber, 300);
        bytes memory groups = abi.encodePacked(
            _head(merchant, PAYOUT, 2), _walletItem(a, 1, _signature(PAYER_KEY, a, merchant)), _paid(merchant, 3)
        );
        vm.prank(stranger);
        bytes memory codes = direct.settle{gas: 1_200_000}(address(token), CALL_GAS, groups);
        _expect(codes, 0, ItemCode.PullRefused);
        _expect(codes, 1, ItemCode.Settled);
    }

    function test_afterABurnTheReasonIsAskedWithEnoughGasOrNotAtAll() public {
        HostileToken bad = new HostileToken();
        bad.mint(payer, FUNDS);
        bad.setMode(HostileToken.Mode.PullGasBurn);
        bytes memory groups = _to(merchant, _paid(merchant, 500));
        vm.startPrank(stranger);
        vm.expectPartialRevert(NotEnoughGas.selector);
        direct.settle{gas: 255_000}(address(bad), CALL_GAS, groups);
        _expect(direct.settle{gas: 400_000}(address(bad), CALL_GAS, groups), 0, ItemCode.PullRefused);
        vm.stopPrank();
    }

    function test_afterASecondBurnTheBalanceIsAskedWithEnoughGasOrNotAtAll() public {
        HostileToken bad = new HostileToken();
        bad.mint(payer, FUNDS);
        bad.setMode(HostileToken.Mode.PullAndStateGasBurn);
        bytes memory groups = _to(merchant, _paid(merchant, 500));
        vm.startPrank(stranger);
        vm.expectPartialRevert(NotEnoughGas.selector);
        direct.settle{gas: 285_000}(address(bad), CALL_GAS, groups);
        _expect(direct.settle{gas: 400_000}(address(bad), CALL_GAS, groups), 0, ItemCode.PullRefused);
        vm.stopPrank();
    }
}
